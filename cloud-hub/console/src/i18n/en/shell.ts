/** Texts of the frame around all pages, and words that several pages share. */
export const shell = {
  nav: {
    closed: 'These pages are for administrators of your company.',
    label: 'Main',
    overview: 'Overview',
    machines: 'Machines',
    alerts: 'Alerts',
    rules: 'Rules',
    work: 'Work',
    maintenance: 'Maintenance',
    operations: 'Operations',
    agents: 'Agents',
    erp: 'ERP',
    settings: 'Settings',
    more: 'More',
  },
  connection: {
    lost: 'The connection to the hub is lost. What this page shows is as of {since}, and changes cannot be saved. The console keeps trying.',
  },
  userMenu: { theme: 'Colours', themeSystem: 'As the system', themeLight: 'Light', themeDark: 'Dark', signOut: 'Sign out' },
  status: { healthy: 'Healthy', warning: 'Warning', critical: 'Critical', offline: 'Offline' },
  severity: { info: 'Info', warning: 'Warning', critical: 'Critical' },
  filter: { all: 'All' },
  machineField: {
    choose: 'Choose a machine',
    find: 'Name or identifier',
    loading: 'Loading…',
    noneFound: 'No machine found.',
    more: '{count, plural, one {# more machine} other {# more machines}}: type to narrow the list.',
  },
  copy: { copy: 'Copy', done: 'Copied.', failed: 'The browser does not allow copying: select the text instead.' },
  comments: { title: 'Comments', add: 'Write a comment', submit: 'Send' },
} as const
