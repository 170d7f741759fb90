import { chatMemory } from '../src/chat/chat-memory.ts'
import { walkEntities, walkRows } from '../src/migration/walk-rows.ts'
import type { Message } from '../src/message.ts'
import { records } from '../src/records/records.ts'
import type { Row, RowStore } from '../src/rows/row-store.ts'

/** Nothing else writes. */
export const NOW: { graceMs: number } = { graceMs: 0 }

export async function allRows(store: RowStore): Promise<Row[]> {
  const rows: Row[] = []
  for await (const entity of walkEntities(store)) for await (const row of walkRows(store, entity)) rows.push(row)
  return rows
}

/** What a raw scan finds of a text: in entities, keys and records. */
export async function traces(store: RowStore, text: string): Promise<string[]> {
  const bytes = Buffer.from(text)
  const holds = (rec: Uint8Array): boolean => Buffer.from(rec).includes(bytes)
  const found = (await allRows(store)).filter(
    ({ entity, key, rec }) => entity.includes(text) || key.includes(text) || holds(rec),
  )
  return found.map(({ entity, key }) => entity + key)
}

export function say(content: string): Message[] {
  return [{ role: 'user', content }]
}

export async function lives(store: RowStore, owner: string, n: number): Promise<void> {
  const chat = chatMemory(store)
  for (let i = 0; i < n; i++) {
    await chat.append(`${owner}-t${i}`, say(`${owner} says hello`), { owner, opId: `${owner}-op` })
    await records(store, owner).put(['memories', `m${i}`], { text: `${owner} likes pizza` })
  }
}
