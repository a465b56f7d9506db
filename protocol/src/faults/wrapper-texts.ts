/** Faults that add something to another one, the parameter `reason`, whose source they have. */
export const WRAPPER_TEXTS = {
  with_status: '{reason} ({status})',
  with_bad_tag: '{reason}: {tag}, {tag_reason}',
  with_own_thumbprint: '{reason} (thumbprint of our certificate {thumbprint})',
  and_more: '{reason} (and {count} more)',
  of_item: '{item}: {reason}',
  of_server: 'OPC UA server at {host}:{port}: {reason}',
} as const
