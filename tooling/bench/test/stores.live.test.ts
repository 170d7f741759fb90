import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { benchStores, subjects } from '../src/stores.ts'

const OPERATIONS = ['write of 1', 'write of 100', 'load of 1', 'load of 100', 'scan of 100']

for (const subject of subjects) {
  const { hostname, port } = new URL(subject.url)
  if (!(await listens(hostname, Number(port)))) {
    if (process.env['CI']) throw new Error(`CI must start ${subject.name}.`)
    describe.skip(`${subject.name} (skipped: no server at ${hostname}:${port})`, () => {})
    continue
  }
  test(`every operation of ${subject.name} is compared, at both sizes`, async () => {
    const lines = await benchStores({ rows: 2000, rounds: 1, operations: 2 }, [subject])
    expect(lines.map(({ what }) => what)).toEqual(
      [200, 4096].flatMap((bytes) =>
        OPERATIONS.flatMap((what) => ['p50', 'p95'].map((p) => `${subject.name}, ${bytes} B: ${what}, ${p}`)),
      ),
    )
    for (const { ratio } of lines) expect(ratio).toBeGreaterThan(0)
  })

  test(`${subject.name} by hand does the same guarded work`, async () => {
    await using raw = await subject.raw(subject.url, 'keepsake_bench_test')
    const row = { entity: 'a', key: 'k', seq: 5, rec: new Uint8Array([7]), updatedAtMs: 1 }
    expect(await raw.write(row)).toBe(true)
    expect(await raw.write({ ...row, seq: 4 })).toBe(false)
    expect(
      await raw.writeBatch([
        { ...row, seq: 6 },
        { ...row, key: 'l' },
      ]),
    ).toBe(true)
    expect(await raw.writeBatch([row, { ...row, key: 'm' }])).toBe(false)
    expect(await raw.loadMany([row, { ...row, key: 'none' }])).toHaveLength(1)
    expect(await raw.scan('a', 2)).toHaveLength(2)
    expect(await raw.load(row)).toMatchObject({ key: 'k' })
  })
}

function listens(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host)
    socket.on('error', () => resolve(false))
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}
