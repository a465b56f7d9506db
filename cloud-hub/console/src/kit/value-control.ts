/** A control that shows something else than its value, such as the name of a machine, has its value here, and takes one by the event. */
export const VALUE_ATTRIBUTE = 'data-value'
export const VALUE_EVENT = 'haltless-value'
