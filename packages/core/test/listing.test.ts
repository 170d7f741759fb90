import { describe, expect, it } from 'vitest'
import { createListing, type Page } from '../src/listing.ts'

/** Pages of two out of the numbers below 5; the cursor is the next number. Notes each read. */
function numbers(cursor?: string) {
  const reads: (string | undefined)[] = []
  const listing = createListing<number>(async (from) => {
    reads.push(from)
    const first = Number(from ?? 0)
    const items = [first, first + 1].filter((n) => n < 5)
    return { items, ...(first + 2 < 5 && { cursor: String(first + 2) }) }
  }, cursor)
  return { listing, reads }
}

describe('createListing', () => {
  it('reads nothing before it is used', () => {
    expect(numbers().reads).toEqual([])
  })

  it('gives one page when it is awaited', async () => {
    const { listing, reads } = numbers()
    expect(await listing).toEqual({ items: [0, 1], cursor: '2' })
    expect(reads).toEqual([undefined])
  })

  it('goes on from a cursor, and says which page is the last', async () => {
    expect(await numbers('2').listing).toEqual({ items: [2, 3], cursor: '4' })
    expect(await numbers('4').listing).toEqual({ items: [4] })
  })

  it('gives everything to for await', async () => {
    const { listing, reads } = numbers()
    expect(await Array.fromAsync(listing)).toEqual([0, 1, 2, 3, 4])
    expect(reads).toEqual([undefined, '2', '4'])
    expect(await Array.fromAsync(numbers('2').listing)).toEqual([2, 3, 4])
  })

  it('goes on over empty pages that have a cursor', async () => {
    const pages: Record<string, Page<number>> = { a: { items: [], cursor: 'b' }, b: { items: [1] } }
    expect(await Array.fromAsync(createListing(async (from) => pages[from!]!, 'a'))).toEqual([1])
  })

  it('stops reading when the loop is left', async () => {
    const { listing, reads } = numbers()
    for await (const n of listing) if (n === 1) break
    expect(reads).toEqual([undefined])
  })

  it('may be read again', async () => {
    const { listing } = numbers()
    expect(await listing).toEqual(await listing)
    expect(await Array.fromAsync(listing)).toEqual(await Array.fromAsync(listing))
  })

  it('hands on what reading throws', async () => {
    const broken = createListing<number>(() => Promise.reject(new Error('no database')))
    await expect(Promise.resolve(broken)).rejects.toThrow('no database')
    await expect(Array.fromAsync(broken)).rejects.toThrow('no database')
  })
})
