import type { AttachmentStore } from '../src/features/work/attachments/index.ts'
import type { TestHub, TestUser } from './harness.ts'

/** Uploads a file in-process, from an address of its own. */
export async function upload(
  hub: TestHub,
  by: TestUser,
  query: string,
  { bytes = 'hello', name = 'note.txt', part = 'file' }: { bytes?: string | Uint8Array; name?: string; part?: string } = {},
) {
  const form = new FormData()
  form.append(part, new Blob([bytes as string]), name)
  const body = new Response(form)
  const answer = await hub.app.request(
    `/api/v1/attachments?${query}`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${by.token}`, 'content-type': body.headers.get('content-type') as string },
      body: await body.arrayBuffer(),
    },
    { incoming: { socket: { remoteAddress: '10.1.1.1' } } },
  )
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  return { status: answer.status, body: (await answer.json()) as any }
}

/** A maintenance event, written as the owner. */
export async function makeEvent(hub: TestHub, by: TestUser, machineId: string): Promise<string> {
  const [row] = await hub.owner<{ id: string }[]>`
    insert into maintenance_events (tenant_id, machine_id, title, scheduled_start, scheduled_end, created_by)
    values (${by.tenantId}, ${machineId}, 'Oil', now(), now() + interval '1 hour', ${by.userId}) returning id`
  return row?.id ?? ''
}

/** A store whose methods a test can replace. */
export const wrapStore = (store: AttachmentStore): AttachmentStore => ({
  name: store.name,
  isIncluded: store.isIncluded,
  put: (...given) => store.put(...given),
  read: (...given) => store.read(...given),
  size: (key) => store.size(key),
  identify: (key) => store.identify(key),
  remove: (key) => store.remove(key),
  close: () => store.close(),
})
