import type { MastraDBMessage } from '@mastra/core/memory'
import { MemoryPG } from '@mastra/pg'
import { Pool } from 'pg'
import { ownName } from './own-name.ts'
import { textOf, type ThreadPeer } from './thread-peer.ts'

const SCHEMA = ownName('mastra')
const BATCH = 500

/** The storage itself: what `@mastra/memory` does around it is left out. */
export async function openMastraPostgres(url: string): Promise<ThreadPeer> {
  const pool = new Pool({ connectionString: url })
  await pool.query(`create schema ${SCHEMA}`)
  const storage = new MemoryPG({ pool, schemaName: SCHEMA })
  await storage.init()
  const save = (thread: string, numbers: number[]) =>
    storage.saveMessages({ messages: numbers.map((number) => message(thread, number)) })
  return {
    async fill(thread, messages) {
      const now = new Date()
      await storage.saveThread({
        thread: { id: thread, resourceId: 'ada', title: thread, createdAt: now, updatedAt: now },
      })
      for (let at = 0; at < messages; at += BATCH) {
        await save(
          thread,
          Array.from({ length: Math.min(BATCH, messages - at) }, (_, i) => at + i),
        )
      }
    },
    async append(thread, number) {
      await save(thread, [number])
    },
    async last(threadId, perPage) {
      const { messages } = await storage.listMessages({
        threadId,
        perPage,
        includeTotal: false,
        orderBy: { field: 'createdAt', direction: 'DESC' },
      })
      const inOrder = messages.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
      return inOrder.map(({ content }) => content.parts.map((part) => (part.type === 'text' ? part.text : '')).join(''))
    },
    async [Symbol.asyncDispose]() {
      await pool.query(`drop schema ${SCHEMA} cascade`)
      await pool.end()
    },
  }
}

const START_MS = Date.now()

function message(threadId: string, number: number): MastraDBMessage {
  return {
    id: crypto.randomUUID(),
    threadId,
    resourceId: 'ada',
    role: number % 2 === 0 ? 'user' : 'assistant',
    createdAt: new Date(START_MS + number),
    content: { format: 2, parts: [{ type: 'text', text: textOf(number) }] },
  }
}
