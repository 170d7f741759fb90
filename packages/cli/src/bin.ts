#!/usr/bin/env node
import nodeModule from 'node:module'
import { nodeProblem } from './node-problem.ts'

const problem = nodeProblem(process.versions.node)
if (problem !== undefined) {
  console.error(`keepsake: ${problem}`)
  process.exit(1)
}
// Before anything else is loaded: what is compiled once is kept, and the next start takes half as long.
nodeModule.enableCompileCache()
const { endProcess, prepareProcess } = await import('./prepare-process.ts')
const { main } = await import('./main.ts')

process.exitCode = await main(process.argv.slice(2), { signal: prepareProcess() })
endProcess()
