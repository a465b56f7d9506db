import type { TransactionSql } from '../../src/db/pools.ts'
import type { TenantScope } from '../../src/db/scope.ts'

/** A scope whose `counted()` says how many templates with this text its work has used. */
export function countedScope(scope: TenantScope, text: string): TenantScope & { counted(): number } {
  let count = 0
  const watched = (sql: TransactionSql) =>
    new Proxy(sql, {
      apply(target, self, args) {
        const [strings] = args
        if (Array.isArray(strings) && strings.join('?').includes(text)) count++
        return Reflect.apply(target, self, args)
      },
    })
  return {
    ...scope,
    tx: (work) => scope.tx((sql) => work(watched(sql))),
    read: (work) => scope.read((sql) => work(watched(sql))),
    counted: () => count,
  }
}
