/** A column of a select list: the present name of the machine of a row, as `machineName`. @param alias of a table with `tenant_id` and `machine_id` */
export const machineNameOf = (alias: string): string =>
  `(select named.name from machines named where named.tenant_id = ${alias}.tenant_id and named.id = ${alias}.machine_id) as "machineName"`
