import { expect, it } from 'vitest'
import { chatMemory, inMemoryStore, records } from '../src/index.ts'

it.each([
  ['an address', 'sqlite:app.db', 'it is a string.'],
  ['nothing', undefined, 'it is undefined.'],
  ['a promise of a store', Promise.resolve(inMemoryStore()), 'it is a Promise.'],
])('%s is no store, and that is said at once', (_, store, message) => {
  const refused = {
    code: 'invalid_value',
    message: `store must be a RowStore, such as inMemoryStore() or one that openStore has opened; ${message}`,
  }
  expect(() => chatMemory(store as never)).toThrow(expect.objectContaining(refused))
  expect(() => records(store as never, 'ada')).toThrow(expect.objectContaining(refused))
})
