import { edgeClockJumps, edgeClockOff } from './edge/clock.ts'
import { edgeBufferDamaged } from './edge/damaged.ts'
import { edgeBatchesDoubled, edgeReceiptsLost } from './edge/deliver.ts'
import { edgeDictionaryLost, edgeDictionaryReplicas, edgeDictionaryTwins } from './edge/dictionary.ts'
import { edgeFileRotation } from './edge/file-rotation.ts'
import { edgeBufferFull, edgeDiskFull, edgeDiskReadOnly, edgeDropPolicies } from './edge/full.ts'
import { edgeHostileDevice } from './edge/hostile-device.ts'
import { edgeAgentKill, edgeBrokerKill, edgeHubKill, edgePostgresKill } from './edge/kill.ts'
import { edgeBrokerAway, edgePartition, edgePartitionLong } from './edge/partition.ts'
import { edgePlcHang } from './edge/plc-hang.ts'
import { edgePowerLoss } from './edge/power-loss.ts'
import { edgeProxy } from './edge/proxy.ts'
import { edgeRefused } from './edge/refused.ts'
import { edgeSparkplug } from './edge/sparkplug.ts'
import { updateHostile } from './edge/update-hostile.ts'
import { updateKill } from './edge/update-kill.ts'
import { updateRollout } from './edge/update-rollout.ts'
import { wireMixed } from './edge/wire-mixed.ts'
import { agentsReconnect } from './hub/agents-reconnect.ts'
import { backlogAlerts } from './hub/backlog.ts'
import { hubsBalanced, hubsUpgraded } from './hub/balanced-hubs.ts'
import { brokerBurst } from './hub/broker-burst.ts'
import { clockOff } from './hub/clock.ts'
import { batchesTwice, receiptsLost } from './hub/deliver-twice.ts'
import { diskFull, tablesFull } from './hub/disk-full.ts'
import { erpExchange } from './hub/erp-exchange.ts'
import { flushOrder } from './hub/flush-order.ts'
import { replicaFrozen } from './hub/freeze-replica.ts'
import { brokerKill } from './hub/kill-broker.ts'
import { hubDeliver } from './hub/kill-deliver.ts'
import { hubKill } from './hub/kill-hub.ts'
import { postgresKill } from './hub/kill-postgres.ts'
import { replicaKill } from './hub/kill-replica.ts'
import { sealKill } from './hub/kill-sealer.ts'
import { startKill } from './hub/kill-start.ts'
import { workKill } from './hub/kill-work.ts'
import { postgresFailover } from './hub/postgres-failover.ts'
import { valueRefused } from './hub/refused-values.ts'
import { sealBehind } from './hub/sealer-behind.ts'
import { postgresStopped } from './hub/stop-postgres.ts'
import { storeProperty } from './hub/store-property.ts'
import { tenantStuck } from './hub/tenant-stuck.ts'
import { upgradeRolling } from './hub/upgrade-rolling.ts'
import type { FaultRow } from './row.ts'

/** Every row, in the order in which they run. */
export const allRows: readonly FaultRow[] = [
  hubKill,
  hubDeliver,
  startKill,
  postgresKill,
  postgresFailover,
  brokerKill,
  brokerBurst,
  replicaKill,
  replicaFrozen,
  hubsBalanced,
  receiptsLost,
  batchesTwice,
  agentsReconnect,
  flushOrder,
  storeProperty,
  sealKill,
  workKill,
  erpExchange,
  sealBehind,
  upgradeRolling,
  hubsUpgraded,
  valueRefused,
  tenantStuck,
  postgresStopped,
  diskFull,
  tablesFull,
  clockOff,
  backlogAlerts,
  edgeAgentKill,
  edgeHubKill,
  edgePostgresKill,
  edgeBrokerKill,
  edgePartition,
  edgePartitionLong,
  edgeBrokerAway,
  edgeReceiptsLost,
  edgeBatchesDoubled,
  edgeDictionaryLost,
  edgeDictionaryReplicas,
  edgeDictionaryTwins,
  wireMixed,
  edgePowerLoss,
  edgeBufferDamaged,
  edgeBufferFull,
  edgeDropPolicies,
  edgeDiskFull,
  edgeDiskReadOnly,
  edgeClockOff,
  edgeClockJumps,
  edgeRefused,
  edgeProxy,
  edgePlcHang,
  edgeHostileDevice,
  edgeFileRotation,
  edgeSparkplug,
  updateRollout,
  updateKill,
  updateHostile,
]
