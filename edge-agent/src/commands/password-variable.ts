/** The environment variable that can hold the password of an OPC UA server. */
export const PASSWORD_VARIABLE = 'HALTLESS_OPCUA_PASSWORD'
