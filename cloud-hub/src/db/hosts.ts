/** `host1:5432,host2:5432`, which `new URL` cannot parse. */
export const hasSeveralHosts = (url: string): boolean => /^[^:]+:\/\/(?:[^/?]*@)?[^/?@]*,/.test(url)

/**
 * The driver's option for a URL of several hosts: only the primary is used, as a standby stores nothing. `target_session_attrs` in the
 * URL, or PGTARGETSESSIONATTRS, says otherwise.
 */
export const sessionAttrs = (url: string): { target_session_attrs?: 'primary' } =>
  hasSeveralHosts(url) && !/[?&]target_session_attrs=/.test(url) && !process.env.PGTARGETSESSIONATTRS
    ? { target_session_attrs: 'primary' }
    : {}
