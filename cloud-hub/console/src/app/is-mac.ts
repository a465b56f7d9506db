/** On a Mac the command key takes the place of Ctrl. */
export const isMac = /^Mac|^iP/.test(navigator.platform)
