import type postgres from 'postgres'
import type { ShownIds } from '../paths.ts'
import type { Company } from './company.ts'
import { addMachines, sendReadings } from './machines.ts'
import { addAgents, addAlerting, addDowntime, addErp, addGroups, addRollout, addShifts } from './operations.ts'
import { addAlertHistory, addMaintenance, addMembers, addWorkOrders } from './work.ts'

/** Gives a company something on every page. @returns what the pages of one thing show */
export async function fillCompany(company: Company, owner: postgres.Sql): Promise<ShownIds> {
  const machines = await addMachines(company, owner)
  await addAlerting(company, machines)
  const people = await addMembers(company)
  await addAlertHistory(company, owner)
  await sendReadings(company)
  const order = await addWorkOrders(company, machines, people)
  const event = await addMaintenance(company, machines, people)
  const site = await addGroups(company, machines)
  await addDowntime(company, machines, owner)
  await addShifts(company, machines, owner)
  const erp = await addErp(company, owner)
  await addAgents(company, machines)
  const rollout = await addRollout(company, owner)
  const [alert] = (await company.call('GET', `alerts?machine_id=${machines.get('pump-01')}&page_size=1`)).items
  await company.call('POST', `alerts/${alert.id}/comments`, { body: 'I hear it too. A work order is open.' })
  return {
    machine: machines.get('pump-01') as string,
    alert: alert.id,
    order,
    event,
    erp,
    agent: 'gdansk-presses',
    rollout,
    site,
  }
}
