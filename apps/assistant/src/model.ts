import type { LanguageModelV4 } from '@ai-sdk/provider'
import { UsageError } from './usage-error.ts'

export interface ModelOptions {
  /** `scripted` (default), `openai:NAME` or `anthropic:NAME`; with `baseUrl` just the name. */
  model: string
  /** A server that speaks OpenAI's chat completions, such as a local one. */
  baseUrl?: string | undefined
  env?: Record<string, string | undefined>
}

/**
 * The model that was asked for; only its own provider is loaded. Throws a {@link UsageError} for one that is unknown or
 * whose key is missing.
 */
export async function openModel({ model, baseUrl, env = process.env }: ModelOptions): Promise<LanguageModelV4> {
  if (baseUrl !== undefined) {
    if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) {
      throw new UsageError('--base-url must be an http address, such as http://localhost:11434/v1.')
    }
    if (model === 'scripted') throw new UsageError('--base-url needs --model NAME: which model shall the server use?')
    const apiKey = env['OPENAI_API_KEY']
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const provider = createOpenAICompatible({
      name: 'server',
      baseURL: baseUrl,
      ...(apiKey !== undefined && { apiKey }),
    })
    return provider.chatModel(model)
  }
  if (model === 'scripted') {
    const { scriptedAssistant } = await import('./scripted-assistant.ts')
    return scriptedAssistant()
  }
  const [provider, name] = split(model)
  switch (provider) {
    case 'openai': {
      const apiKey = keyFor('OPENAI_API_KEY', model, env)
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI({ apiKey })(name)
    }
    case 'anthropic': {
      const apiKey = keyFor('ANTHROPIC_API_KEY', model, env)
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic({ apiKey })(name)
    }
    default:
      throw unknownModel(model)
  }
}

function split(model: string): [provider: string, name: string] {
  const colon = model.indexOf(':')
  if (colon < 1 || colon === model.length - 1) throw unknownModel(model)
  return [model.slice(0, colon), model.slice(colon + 1)]
}

function keyFor(variable: string, model: string, env: Record<string, string | undefined>): string {
  const key = env[variable]
  if (key === undefined || key === '') {
    throw new UsageError(
      `${model} needs a key: set ${variable} and try again, or leave --model out for the scripted one.`,
    )
  }
  return key
}

function unknownModel(model: string): UsageError {
  return new UsageError(
    `Unknown model ${JSON.stringify(model)}. Use openai:NAME or anthropic:NAME, --base-url URL with --model NAME for a server of your own, or leave it out for the scripted one.`,
  )
}
