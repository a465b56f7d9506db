/** Settings of connections that have a fixed list of values. This module loads no other, so that the help of a command can list them. */
export const SECURITY_MODES = ['None', 'Sign', 'SignAndEncrypt'] as const
export const SECURITY_POLICIES = ['None', 'Basic256Sha256', 'Aes128_Sha256_RsaOaep', 'Aes256_Sha256_RsaPss'] as const
export const MODBUS_TABLES = ['holding', 'input', 'coil', 'discrete'] as const
