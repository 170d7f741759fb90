export { runChaos, type ChaosOptions, type ChaosResult, type Outages } from './chaos/run-chaos.ts'
export { testChaos, type TestChaosOptions } from './chaos/test-chaos.ts'
