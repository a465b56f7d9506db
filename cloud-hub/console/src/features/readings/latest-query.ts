import { apiQuery } from '../../api/client.ts'

/** The newest reading of each metric of a machine. Rules ask for it too, without the charts. */
export const latestQuery = (machineId: string) =>
  apiQuery('/machines/{machine_id}/readings/latest', { params: { path: { machine_id: machineId } } })
