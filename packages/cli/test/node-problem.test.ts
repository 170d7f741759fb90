import { expect, it } from 'vitest'
import { nodeProblem } from '../src/node-problem.ts'

it.each(['22.12.0', '22.13.1', '23.0.0', '24.21.0', '100.0.0-nightly'])('Node %s will do', (version) => {
  expect(nodeProblem(version)).toBeUndefined()
})

it.each(['18.20.8', '20.20.2', '21.99.0', '22.0.0', '22.11.9'])('Node %s will not', (version) => {
  expect(nodeProblem(version)).toBe(`Node 22.12 or newer is needed, and this is ${version}.`)
})
