import { describe, expect, it } from 'vitest'
import { rowStoreCases, testRowStore } from '../src/index.ts'

const open = () => Promise.reject(new Error('never opened'))

describe('rowStoreCases', () => {
  it('are several hundred, each with a name of its own', () => {
    expect(rowStoreCases.length).toBeGreaterThan(500)
    const names = rowStoreCases.map((testCase) => testCase.name)
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
  })

  it('have names that are no topics, so that a skip means one thing', () => {
    const topics = new Set(rowStoreCases.map((testCase) => testCase.topic))
    expect(rowStoreCases.filter((testCase) => topics.has(testCase.name))).toEqual([])
  })

  it('have names of printable ASCII on one line', () => {
    // oxlint-disable-next-line no-control-regex -- what must not be there
    expect(rowStoreCases.filter((testCase) => /[^\u0020-\u007e]/.test(testCase.name))).toEqual([])
  })
})

describe('testRowStore', () => {
  it('refuses a skip of what does not exist', () => {
    expect(() => testRowStore('x', open, { skip: { 'no such case': 'because' } })).toThrow(
      'skip names "no such case", which is no case and no topic.',
    )
  })

  it.each(['', '  '])('refuses a skip with the reason %j', (reason) => {
    expect(() => testRowStore('x', open, { skip: { races: reason } })).toThrow(
      'skip of "races" needs a reason: say why in words.',
    )
  })
})
