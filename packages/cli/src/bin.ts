#!/usr/bin/env node
import { main } from './main.ts'
import { prepareProcess } from './prepare-process.ts'

process.exitCode = await main(process.argv.slice(2), { signal: prepareProcess() })
