/** 128 series with consecutive ids are a group. Ids ascend over all tenants, so a group can have series of several. */
export const GROUP_BITS = 7

/** The group of a series, as `id >> GROUP_BITS` in SQL. */
export const groupOf = (seriesId: number): number => seriesId >> GROUP_BITS

/** The lowest and the highest id of a group. */
export const seriesOf = (group: number): [first: number, last: number] => {
  const first = group << GROUP_BITS
  return [first, first + 2 ** GROUP_BITS - 1]
}
