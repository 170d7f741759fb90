import { beforeEach, describe, expect, it } from 'vitest'
import { chatMemory, inMemoryStore, records, type Row, type RowStore } from '../src/index.ts'
import { caught } from './caught.ts'
import type { Fixture, Hostile } from './hostile-inputs/hostile.ts'
import { keys } from './hostile-inputs/keys.ts'
import { lists } from './hostile-inputs/lists.ts'
import { messages } from './hostile-inputs/messages.ts'
import { options } from './hostile-inputs/options.ts'
import { others } from './hostile-inputs/others.ts'
import { nobodies } from './hostile-inputs/owners.ts'
import { queries } from './hostile-inputs/queries.ts'
import { threadIds, ownersOfThreads } from './hostile-inputs/threads.ts'
import { values } from './hostile-inputs/values.ts'

async function dump(store: RowStore): Promise<Row[]> {
  const rows: Row[] = []
  for (const entity of await store.entities({ limit: 1000 })) rows.push(...(await store.scan(entity, { limit: 1000 })))
  return rows
}

const table: readonly Hostile[] = [
  ...nobodies,
  ...threadIds,
  ...ownersOfThreads,
  ...keys,
  ...values,
  ...options,
  ...messages,
  ...lists,
  ...queries,
  ...others,
]

describe('hostile inputs', () => {
  let fixture: Fixture
  let before: Row[]

  beforeEach(async () => {
    const store = inMemoryStore()
    const chat = chatMemory(store)
    const notes = records<unknown>(store, 'ada')
    await chat.append('t1', [{ role: 'user', content: 'secret', id: 'm1' }], { owner: 'ada' })
    await notes.putMany([
      { key: ['k'], value: 1 },
      { key: ['n', 'k'], value: 'secret x' },
    ])
    fixture = { store, chat, notes }
    before = await dump(store)
  })

  it.each(table)('%s', async (_, call, code, message) => {
    const error = await caught(() => call(fixture))
    expect(error.code).toBe(code)
    expect(error.message).toContain(message)
    expect(error.message).toMatch(/\.$/)
    expect(error.message).not.toContain('secret')
    expect(error.message.length).toBeLessThan(600)
    expect(await dump(fixture.store)).toEqual(before)
  })
})

describe('the table', () => {
  it('is large, and each input has a name of its own', () => {
    expect(table.length).toBeGreaterThan(300)
    expect(table.map(([name]) => name).filter((name, i, names) => names.indexOf(name) !== i)).toEqual([])
  })
})
