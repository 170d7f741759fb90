import { chatMemory, type Thread } from '@keepsake/core'
import type { Context } from '../context.ts'
import { formatTime } from '../quantities.ts'
import { safeLine } from '../safe-text.ts'
import { PAGE, showList, type ListView } from '../show-list.ts'

export interface ThreadsOptions {
  owner?: string
  limit?: number
}

const view: ListView<Thread> = {
  plural: 'threads',
  columns: [
    { title: 'THREAD', flexible: true },
    { title: 'OWNER', flexible: true },
    { title: 'CREATED' },
    { title: 'UPDATED' },
  ],
  cells: (thread) => [
    safeLine(thread.id),
    safeLine(thread.owner ?? ''),
    formatTime(thread.createdAtMs),
    formatTime(thread.updatedAtMs),
  ],
  json: (thread) => thread,
}

/** Lists conversations. */
export async function run({ out, openStore }: Context, { owner, limit: asked }: ThreadsOptions): Promise<void> {
  await using store = await openStore()
  const chat = chatMemory(store)
  const count = await showList(out, view, asked, (limit) =>
    chat.threads({ limit: Math.min(limit, PAGE), ...(owner !== undefined && { owner }) }),
  )
  if (count > 0) return
  out.note(owner === undefined ? 'There are no threads yet.' : `${safeLine(owner)} has no threads.`)
}
