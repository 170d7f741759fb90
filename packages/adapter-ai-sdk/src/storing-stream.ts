import type { LanguageModelV4GenerateResult, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { answerBuilder } from '@keepsake/agent'

/**
 * Passes a model's stream on and stores the answer when it is complete: `finish` is passed on after that, so who has read
 * it may count on it. Of a stream that holds an error, ends without `finish` or is read no further nothing is stored. The
 * stream errors with what `store` throws.
 */
export function storingStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  store: (answer: LanguageModelV4GenerateResult) => Promise<void>,
): ReadableStream<LanguageModelV4StreamPart> {
  const builder = answerBuilder()
  let ended = false
  const storing = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>(
    {
      async transform(part, controller) {
        if (part.type === 'error') ended = true
        if (!ended) builder.add(part)
        if (!ended && part.type === 'finish') {
          ended = true
          await store(builder.answer())
        }
        controller.enqueue(part)
      },
    },
    undefined,
    // Nothing is asked of the model that nobody reads.
    { highWaterMark: 0 },
  )
  return stream.pipeThrough(storing)
}
