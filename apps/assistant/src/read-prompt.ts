import type { LanguageModelV4Prompt } from '@ai-sdk/provider'

/** What the scripted assistant sees of a prompt: the same text that a real model would read. */
export interface PromptView {
  /** The memory files in the prompt, as they stand there; empty if there are none. */
  memory: string
  /** Everything the user said in this thread, oldest first. */
  said: string[]
  /** Results of the tools that were called since the user spoke. */
  results: { toolName: string; text: string }[]
}

export function readPrompt(prompt: LanguageModelV4Prompt): PromptView {
  const view: PromptView = { memory: '', said: [], results: [] }
  for (const message of prompt) {
    switch (message.role) {
      case 'system':
        view.memory += [...message.content.matchAll(/<agent_memory>([^]*?)<\/agent_memory>/g)]
          .map((block) => block[1]!.trim())
          .join('\n')
        break
      case 'user':
        view.said.push(message.content.map((part) => (part.type === 'text' ? part.text : '')).join(''))
        view.results = []
        break
      case 'tool':
        for (const part of message.content) {
          if (part.type === 'tool-result') view.results.push({ toolName: part.toolName, text: resultText(part.output) })
        }
        break
      case 'assistant':
        break
    }
  }
  return view
}

function resultText(output: { type: string; value?: unknown }): string {
  return typeof output.value === 'string' ? output.value : JSON.stringify(output.value ?? null)
}
