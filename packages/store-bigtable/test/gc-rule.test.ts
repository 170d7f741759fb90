import { expect, test } from 'vitest'
import { collectsCurrentCells } from '../src/gc-rule.ts'

const versions = { maxNumVersions: 1 }
const age = { maxAge: { seconds: 86_400 } }

test('a rule by versions takes no current cell, nor does having no rule', () => {
  expect(collectsCurrentCells(versions)).toBe(false)
  expect(collectsCurrentCells(undefined)).toBe(false)
  expect(collectsCurrentCells(null)).toBe(false)
})

test('a rule by age takes all, as our cells are from 1970', () => {
  expect(collectsCurrentCells(age)).toBe(true)
})

test('a union takes what one of its rules takes, an intersection what all take', () => {
  expect(collectsCurrentCells({ union: { rules: [versions, age] } })).toBe(true)
  expect(collectsCurrentCells({ union: { rules: [versions] } })).toBe(false)
  expect(collectsCurrentCells({ intersection: { rules: [versions, age] } })).toBe(false)
  expect(collectsCurrentCells({ intersection: { rules: [age, age] } })).toBe(true)
  expect(collectsCurrentCells({ union: { rules: [versions, { intersection: { rules: [age] } }] } })).toBe(true)
})
