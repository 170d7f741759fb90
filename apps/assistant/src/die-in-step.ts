import type { Middleware } from '@keepsake/agent'

/** Kills this process when its run is about to ask the model for the nth time: as a power cut would, without a word. */
export function dieInStep(n: number): Middleware {
  return {
    name: 'die-in-step',
    start() {
      let step = 0
      return {
        wrapModel(request, next) {
          if (++step === n) process.kill(process.pid, 'SIGKILL')
          return next(request)
        },
      }
    },
  }
}
