import { Firestore } from '@google-cloud/firestore'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { startLocalFirestore } from '../firestore/local-firestore.ts'

// The variable would lead the client elsewhere, and it looks for Google's metadata server on every machine.
delete process.env['FIRESTORE_EMULATOR_HOST']
process.env['METADATA_SERVER_DETECTION'] = 'none'

const server = await startLocalFirestore(0)
const firestore = new Firestore({
  projectId: 'test',
  host: `127.0.0.1:${server.port}`,
  ssl: false,
  // Without this the client repeats reads that the server does not know.
  gaxServerStreamingRetries: true,
})
afterAll(async () => {
  await firestore.terminate()
  await server.stop()
})

let tests = 0
let collection = firestore.collection('test')
beforeEach(() => {
  collection = firestore.collection(`test-${tests++}`)
})

const ALREADY_EXISTS = 6
const NOT_FOUND = 5
const FAILED_PRECONDITION = 9

test('preconditions that do not hold are refused with the codes of Firestore', async () => {
  const document = collection.doc('a')
  await expect(document.update({ n: 1 })).rejects.toMatchObject({ code: NOT_FOUND })
  await document.create({ n: 1 })
  await expect(document.create({ n: 2 })).rejects.toMatchObject({ code: ALREADY_EXISTS })
  const { updateTime: lastUpdateTime } = await document.get()
  await document.update({ n: 3 }, { lastUpdateTime: lastUpdateTime! })
  const late = { lastUpdateTime: lastUpdateTime! }
  await expect(document.update({ n: 4 }, late)).rejects.toMatchObject({ code: FAILED_PRECONDITION })
  await expect(document.delete(late)).rejects.toMatchObject({ code: FAILED_PRECONDITION })
  await expect(collection.doc('none').delete(late)).rejects.toMatchObject({ code: FAILED_PRECONDITION })
  expect((await document.get()).data()).toEqual({ n: 3 })
})

test('a commit of which one write is refused changes nothing', async () => {
  await collection.doc('there').set({ n: 1 })
  const batch = firestore.batch().set(collection.doc('new'), { n: 1 }).create(collection.doc('there'), { n: 2 })
  await expect(batch.commit()).rejects.toMatchObject({ code: ALREADY_EXISTS })
  expect((await collection.get()).docs.map(({ id }) => id)).toEqual(['there'])
})

test('every change has an update time of its own, and a write that changes nothing keeps it', async () => {
  const document = collection.doc('a')
  const times: string[] = []
  for (const n of [1, 2, 3, 3]) {
    await document.set({ n })
    times.push(
      (await document.get()).updateTime!.toDate().toISOString() + (await document.get()).updateTime!.nanoseconds,
    )
  }
  expect(new Set(times.slice(0, 3)).size).toBe(3)
  expect(times[3]).toBe(times[2])
  expect(times).toEqual(times.toSorted())
})

test('an update changes the fields that it names and no others', async () => {
  const document = collection.doc('a')
  await document.set({ kept: 1, changed: 1 })
  await document.update({ changed: 2, added: null })
  expect((await document.get()).data()).toEqual({ kept: 1, changed: 2, added: null })
})

test('queries are in the order of UTF-8 bytes, and take cursors, limits and fields', async () => {
  const texts = ['', 'B', 'a', 'ab', 'z', 'é', '\uff5e', '😀']
  await Promise.all(texts.toReversed().map((text, i) => collection.doc(`d${i}`).set({ text, other: 1 })))
  await collection.doc('without').set({ other: 1 })
  const ordered = collection.orderBy('text')
  const read = async (query: typeof ordered): Promise<unknown[]> => (await query.get()).docs.map((d) => d.get('text'))
  expect(await read(ordered)).toEqual(texts)
  expect(await read(ordered.startAfter('a').endBefore('é'))).toEqual(['ab', 'z'])
  expect(await read(ordered.startAt('a').endAt('z').limit(2))).toEqual(['a', 'ab'])
  expect((await ordered.select('text').limit(1).get()).docs[0]!.data()).toEqual({ text: '' })
  expect((await ordered.select().limit(1).get()).docs[0]!.data()).toEqual({})
})

test('documents are read by name, with the fields that were asked for', async () => {
  await collection.doc('a').set({ n: 1, m: 2 })
  const [there, missing] = await firestore.getAll(collection.doc('a'), collection.doc('b'), { fieldMask: ['m'] })
  expect(there!.data()).toEqual({ m: 2 })
  expect(missing!.exists).toBe(false)
})

test('a transaction whose query finds another document when it commits runs again', async () => {
  const found: number[] = []
  await firestore.runTransaction(async (transaction) => {
    const { size } = await transaction.get(collection.limit(9))
    found.push(size)
    if (size === 0) await collection.doc('meanwhile').set({ n: 1 })
    transaction.set(collection.doc('result'), { size })
  })
  expect(found).toEqual([0, 1])
  expect((await collection.doc('result').get()).get('size')).toBe(1)
})

test('transactions that add to one document lose no step', async () => {
  const counter = collection.doc('counter')
  await counter.set({ n: 0 })
  const add = (): Promise<void> =>
    firestore.runTransaction(
      async (transaction) => {
        const found = await transaction.get(counter)
        transaction.update(counter, { n: Number(found.get('n')) + 1 })
      },
      { maxAttempts: 50 },
    )
  await Promise.all(Array.from({ length: 5 }, add))
  expect((await counter.get()).get('n')).toBe(5)
})

test('a document over 1 MiB and names that no document can have are refused', async () => {
  const refused = { code: 3 }
  await collection.doc('a').set({ bytes: Buffer.alloc(1_048_000) })
  await expect(collection.doc('a').set({ bytes: Buffer.alloc(1_048_576) })).rejects.toMatchObject(refused)
  await expect(collection.doc('__a__').set({ n: 1 })).rejects.toMatchObject(refused)
})

test('what it does not know is refused, and not answered wrongly', async () => {
  const unknown = { code: 12 }
  await expect(collection.where('n', '==', 1).get()).rejects.toMatchObject(unknown)
  await expect(collection.orderBy('n', 'desc').get()).rejects.toMatchObject(unknown)
  await expect(firestore.collectionGroup('a').get()).rejects.toMatchObject(unknown)
  await expect(collection.listDocuments()).rejects.toMatchObject(unknown)
})
