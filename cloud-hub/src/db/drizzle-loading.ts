import { type ResolveFnOutput, registerHooks } from 'node:module'

/**
 * Importing this file takes half of the CPU time off a start, so each thread imports it before `drizzle-orm`. For each imported file
 * Node reads the format from the nearest package.json and parses all of its `exports` again; drizzle-orm has 178 kB of them, 200 files, and
 * 30 files of ours import it. Its files import each other by relative paths to ES modules, which need no package.json. What our files
 * import from it is resolved once.
 */
const FILE = /\/node_modules\/drizzle-orm\/.*\.js$/
const BY_NAME = /^drizzle-orm(\/|$)/
const resolved = new Map<string, ResolveFnOutput>()

registerHooks({
  resolve(specifier, context, next) {
    if (BY_NAME.test(specifier) && context.conditions.includes('import')) {
      const known = resolved.get(specifier) ?? { ...next(specifier, context), format: 'module', shortCircuit: true }
      resolved.set(specifier, known)
      return known
    }
    if (!specifier.startsWith('.') || !context.parentURL || !FILE.test(context.parentURL)) return next(specifier, context)
    return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true }
  },
})
