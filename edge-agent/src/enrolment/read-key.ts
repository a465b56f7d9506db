import type { ReadStream, WriteStream } from 'node:tty'
import { Secret } from '../support/secret.ts'

/** The environment variable that can hold the enrolment key. */
export const KEY_VARIABLE = 'HALTLESS_ENROLMENT_KEY'

/** An enrolment key cannot be used as it was given; the message never repeats it. */
export class KeyError extends Error {
  override readonly name = 'KeyError'
}

/** A key is one line; more than this is another file. */
const INPUT_BYTES_MAX = 4_096

/**
 * The enrolment key: the option `--key` (`-` stands for standard input), else the environment, else standard input. At a terminal it is
 * requested without echo, so that neither the shell history nor the list of processes shows it.
 * @throws KeyError
 */
export async function readKey(
  option: string | undefined,
  env: NodeJS.ProcessEnv,
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
): Promise<Secret> {
  const fromEnvironment = env[KEY_VARIABLE]
  // Programs that the agent starts must not inherit it.
  delete env[KEY_VARIABLE]
  const given =
    option !== undefined && option !== '-'
      ? option
      : option === undefined && fromEnvironment
        ? fromEnvironment
        : input.isTTY
          ? await promptHidden('Enrolment key (he_...): ', input as ReadStream, output as WriteStream)
          : await readAll(input)
  const key = given.trim()
  if (key === '') throw new KeyError(`No enrolment key was given: use --key, ${KEY_VARIABLE}, standard input, or a terminal.`)
  if (key.startsWith('hk_'))
    throw new KeyError('This is an API key. An enrolment key begins with he_; an admin creates one in the hub.')
  if (!/^he_[0-9a-z]{8}_[A-Za-z0-9_-]{43}$/.test(key))
    throw new KeyError('This is no whole enrolment key: it begins with he_ and has 55 characters. Was a part of it lost?')
  return new Secret(key)
}

async function readAll(input: NodeJS.ReadStream): Promise<string> {
  let text = ''
  for await (const part of input) {
    text += String(part)
    if (text.length > INPUT_BYTES_MAX) throw new KeyError('Standard input is too long to be an enrolment key.')
  }
  return text
}

/** Reads a line from a terminal without echo. @throws KeyError at Ctrl-C */
export function promptHidden(label: string, input: ReadStream, output: WriteStream): Promise<string> {
  output.write(label)
  input.setRawMode(true)
  return new Promise((resolve, reject) => {
    let typed = ''
    const end = () => {
      input.off('data', onData)
      input.setRawMode(false)
      input.pause()
      output.write('\n')
    }
    const onData = (data: Buffer) => {
      for (const char of data.toString('utf8')) {
        if (char === '\r' || char === '\n') {
          end()
          return resolve(typed)
        }
        if (char === '\u0003') {
          end()
          return reject(new KeyError('Nothing was changed.'))
        }
        typed = char === '\u007f' ? typed.slice(0, -1) : typed + char
      }
    }
    input.on('data', onData)
    input.resume()
  })
}
