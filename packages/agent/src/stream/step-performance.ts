import type { Usage } from '../agent/run-result.ts'
import type { StepPerformance } from './stream-part.ts'

/** When things happened in a step, in Unix milliseconds. */
export interface StepTimes {
  startedMs: number
  /** The first output of the model; left out where it did not stream. */
  firstOutputMs?: number | undefined
  answeredMs: number
  endedMs: number
  toolExecutionMs: Record<string, number>
}

export function stepPerformance(times: StepTimes, usage: Usage): StepPerformance {
  const { startedMs, firstOutputMs, answeredMs, endedMs, toolExecutionMs } = times
  const responseTimeMs = answeredMs - startedMs
  const timeToFirstOutputMs = firstOutputMs === undefined ? undefined : firstOutputMs - startedMs
  return {
    stepTimeMs: endedMs - startedMs,
    responseTimeMs,
    toolExecutionMs,
    timeToFirstOutputMs,
    inputTokensPerSecond: timeToFirstOutputMs === undefined ? undefined : rate(usage.inputTokens, timeToFirstOutputMs),
    outputTokensPerSecond:
      firstOutputMs === undefined ? undefined : rate(usage.outputTokens, answeredMs - firstOutputMs),
    effectiveOutputTokensPerSecond: rate(usage.outputTokens, responseTimeMs),
    effectiveTotalTokensPerSecond: rate(usage.totalTokens, responseTimeMs),
  }
}

/** Tokens a second; 0 where one of the two is not known: never NaN or Infinity, which JSON does not have. */
function rate(tokens: number | undefined, durationMs: number): number {
  return tokens === undefined || durationMs <= 0 ? 0 : (1000 * tokens) / durationMs
}
