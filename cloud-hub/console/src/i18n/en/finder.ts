/** Texts of the search by Ctrl+K and of the keys, which come with them: no page needs them to begin with. */
export const finder = {
  recent: 'Chosen last',
  noneFound: 'Nothing found.',
  toFilter: 'Go to the filter of the list',
  singleKeys: 'Shortcuts of a single key',
  singleKeysHint: 'Such as / or ?. Switch them off to dictate.',
}
