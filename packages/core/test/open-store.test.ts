import { describe, expect, it } from 'vitest'
import { inMemoryStore } from '../src/rows/in-memory-store.ts'
import { openStore, type StoreDriver } from '../src/rows/open-store.ts'
import { caught } from './caught.ts'

function driverOf(...schemes: string[]): StoreDriver & { opened: string[] } {
  const opened: string[] = []
  return {
    schemes,
    opened,
    open(uri) {
      opened.push(uri)
      return inMemoryStore()
    },
  }
}

describe('openStore', () => {
  it('opens memory:// without a driver, a new store each time', async () => {
    const [a, b] = [await openStore('memory://', []), await openStore('memory://', [])]
    await a.write([{ entity: 'e', key: 'k', seq: 1, rec: Uint8Array.of(1), updatedAtMs: 0 }])
    expect(a.name).toBe('memory')
    expect(await a.entities({ limit: 1 })).toEqual(['e'])
    expect(await b.entities({ limit: 1 })).toEqual([])
  })

  it('hands the address as it is to the first driver with its scheme', async () => {
    const [first, second] = [driverOf('kv', 'sqlite'), driverOf('sqlite')]
    await openStore('SQLITE:App.db', [first, second])
    await openStore('kv://x', [second, first])
    expect(first.opened).toEqual(['SQLITE:App.db', 'kv://x'])
    expect(second.opened).toEqual([])
  })

  it('lets a driver take memory: over', async () => {
    const driver = driverOf('memory')
    await openStore('memory://', [driver])
    expect(driver.opened).toEqual(['memory://'])
  })

  it('checks the address before any driver is asked', async () => {
    const driver = driverOf('postgres')
    expect((await caught(() => openStore('postgres:localhost', [driver]))).code).toBe('invalid_value')
    expect(driver.opened).toEqual([])
  })

  it('names the package of a scheme that no driver has', async () => {
    const error = await caught(() => openStore('redis://:hunter2@cache', []))
    expect(error.code).toBe('unsupported')
    expect(error.message).toBe(
      'No driver for redis: addresses was given. They belong to @keepsake/store-redis: a version of it that opens them, or its driver, is missing.',
    )
    expect(error.details).toEqual({ scheme: 'redis', package: '@keepsake/store-redis' })
  })

  it('lists the schemes that are known where it knows none', async () => {
    const error = await caught(() => openStore('mongodb://ada:hunter2@db', [driverOf('kv')]))
    expect(error.code).toBe('unsupported')
    expect(error.message).toMatch(
      /^Nothing opens mongodb: addresses\. Known schemes: memory: \(@keepsake\/core\), sqlite:/,
    )
    expect(error.message).not.toContain('hunter2')
  })

  it('hands on what a driver throws', async () => {
    const driver: StoreDriver = { schemes: ['kv'], open: () => Promise.reject(new Error('no network')) }
    await expect(openStore('kv://x', [driver])).rejects.toThrow('no network')
  })
})
