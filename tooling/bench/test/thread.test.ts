import { expect, test } from 'vitest'
import { benchThread, measureThread } from '../src/thread.ts'

test('an append to a long thread reads and writes what one to a short thread does, and the newest 20 are all that is read for them', async () => {
  const { append, last } = await measureThread({ long: 300, rounds: 1, operations: 1 })
  expect(append.long).toEqual(append.short)
  // The thread's head and its newest message; the message.
  expect(append.long).toMatchObject({ rowsRead: 2, rowsWritten: 1 })
  expect(append.long.bytesWritten).toBeLessThan(500)
  expect(last.long).toEqual(last.short)
  // The thread's head and 20 messages.
  expect(last.long).toMatchObject({ calls: 1, rowsRead: 21, rowsWritten: 0 })
})

test('the table has time, rows and bytes', async () => {
  const lines = await benchThread({ long: 30, rounds: 1, operations: 1 })
  expect(lines.map(({ what }) => what)).toEqual([
    'append: 30 messages beside 10',
    'append: 30 messages beside 10, rows read',
    'append: 30 messages beside 10, rows written',
    'append: 30 messages beside 10, bytes written',
    'last 20: of 30 messages beside 20',
    'last 20: of 30 messages beside 20, rows read',
    'last 20: of 30 messages beside 20, bytes read',
  ])
  expect(lines.filter(({ what }) => what.includes('rows')).map(({ ratio }) => ratio)).toEqual([1, 1, 1])
})
