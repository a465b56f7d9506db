import { describe, expect, test } from 'vitest'
import { mustEncrypt } from './mail.ts'

describe('the mail server', () => {
  test.each([
    ['smtp://mail.example.com', false],
    ['smtp://user:secret@mail.example.com:587', true],
    ['smtps://user:secret@mail.example.com', false],
    ['smtp://user:secret@127.0.0.1:2525', false],
    ['smtp://user:secret@localhost', false],
    ['smtp://user:secret@[::1]', false],
    ['smtp://user:secret@localhost.example.com', true],
    ['smtp://user:secret@mail.example.com?requireTLS=false', false],
    ['smtp://user:secret@mail.example.com?ignoreTLS=true', false],
  ])('%s must encrypt before it gets a password: %s', (url, must) => {
    expect(mustEncrypt(url)).toBe(must)
  })
})
