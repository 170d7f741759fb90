import { Firestore } from '@google-cloud/firestore'
import { describe, expect, test } from 'vitest'
import { firestoreStore } from '../src/firestore-store.ts'
import { placesIn } from '../src/places.ts'
import { startProgram } from './program.ts'
import { freshProject, NEEDS_EMULATOR, serverUrl } from './server.ts'

const host = await serverUrl()

describe.skipIf(host === undefined)(NEEDS_EMULATOR, () => {
  test('a counter that four processes add to by compare-and-set is exact', async () => {
    const project = freshProject()
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => startProgram('count-up', project, name, 25).ended()))
    await using store = firestoreStore({ project, collection: 'memory' })
    const [row] = await store.load([{ entity: 'counters', key: 'shared' }])
    expect(row!.seq).toBe(100)
    expect(await store.entities({ limit: 9 })).toEqual(['counters'])
  })

  test('a writer of large records that is killed leaves whole ones, every acknowledged one, and no chunk too many', async () => {
    const project = freshProject()
    const firestore = new Firestore({ projectId: project })
    await using store = firestoreStore({ client: firestore, collection: 'memory' })
    const id = { entity: 'rewritten', key: 'k' }
    for (let round = 0; round < 5; round++) {
      const writer = startProgram('rewrite', project)
      let acknowledged = 0
      // The next write is under way when the line of the one before has come.
      for (let line = 0; line < 3; line++) acknowledged = Number((await writer.lines.next()).value)
      writer.kill()
      await writer.ended()
      for (let line = await writer.lines.next(); !line.done; line = await writer.lines.next())
        acknowledged = Number(line.value)

      const [row] = await store.load([id])
      expect(row!.seq).toBeGreaterThanOrEqual(acknowledged)
      const parts = 1 + (row!.seq % 3)
      const whole = new Uint8Array(1_000_000 * parts + 1000).fill(row!.seq)
      expect(Buffer.compare(row!.rec, whole)).toBe(0)
      const chunks = await placesIn(firestore, 'memory').row(id).collection('keepsake_chunks').get()
      expect(chunks.size).toBe(parts)
    }
    await firestore.terminate()
  })
})
