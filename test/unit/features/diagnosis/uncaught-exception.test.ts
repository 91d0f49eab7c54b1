import { expect, test } from '@jest/globals';
import { uncaughtException } from '../../../../src/features/diagnosis/facts/uncaught-exception.ts';

const read = (output: string) => {
  const { error, place } = uncaughtException(output.split('\n')) ?? {};
  return error === undefined ? undefined : [error, place];
};

/** What Node 20, Python 3.11, Java 17, Go 1.24 and Rust 1.9x printed; PHP, Ruby and .NET as their manuals show it. */
const uncaught: [string, string, (string | undefined)[]][] = [
  [
    'Node',
    `/srv/app/mailer.js:1
function send(u){ return u.smtp_host.length }
                           ^

TypeError: Cannot read properties of undefined (reading 'smtp_host')
    at send (/srv/app/mailer.js:1:28)
    at Timeout._onTimeout (/srv/app/mailer.js:2:16)
    at listOnTimeout (node:internal/timers:581:17)
    at process.processTimers (node:internal/timers:519:7)

Node.js v20.20.2`,
    ["TypeError: Cannot read properties of undefined (reading 'smtp_host')", 'mailer.js:1'],
  ],
  [
    'Node, with a cause',
    `/srv/app/b.js:1
async function f(){ throw new Error('outer', {cause: new Error('connect ECONNREFUSED 1.2.3.4:25')}) }
                          ^

Error: outer
    at f (/srv/app/b.js:1:27)
    at Object.<anonymous> (/srv/app/b.js:2:1)
    ... 5 lines matching cause stack trace ...
    at node:internal/main/run_main_module:28:49 {
  [cause]: Error: connect ECONNREFUSED 1.2.3.4:25
      at f (/srv/app/b.js:1:54)
      at Object.<anonymous> (/srv/app/b.js:2:1)
      at node:internal/main/run_main_module:28:49
}

Node.js v20.20.2`,
    ['Error: outer (caused by Error: connect ECONNREFUSED 1.2.3.4:25)', 'b.js:1'],
  ],
  [
    'Node, a text',
    `
/srv/app/c.js:1
throw "boom"
^
boom
(Use \`node --trace-uncaught ...\` to show where the exception was thrown)

Node.js v20.20.2`,
    ['boom', 'c.js:1'],
  ],
  [
    'Node, that logs it and exits',
    `TypeError: Cannot read properties of null (reading 'x')
    at Object.<anonymous> (/srv/app/f.js:1:12)
    at node:internal/main/run_main_module:28:49`,
    ["TypeError: Cannot read properties of null (reading 'x')", 'f.js:1'],
  ],
  [
    'a logger of JSON',
    `{"level":60,"msg":"fatal","err":{"type":"TypeError","message":"Cannot read properties of null (reading 'x')","stack":"TypeError: Cannot read properties of null (reading 'x')\\n    at Object.<anonymous> (/srv/app/g.js:1:12)\\n    at Module._compile (node:internal/modules/cjs/loader:1521:14)\\n    at Module._extensions..js (node:internal/modules/cjs/loader:1623:10)\\n    at Module.load (node:internal/modules/cjs/loader:1266:32)\\n    at Module._load (node:internal/modules/cjs/loader:1091:12)\\n    at Function.executeUserEntryPoint [as runMain] (node:internal/modules/run_main:164:12)\\n    at node:internal/main/run_main_module:28:49"}}`,
    ["TypeError: Cannot read properties of null (reading 'x')", 'g.js:1'],
  ],
  [
    'npm',
    `TypeError: Cannot read properties of null (reading 'x')
    at Object.<anonymous> (/srv/app/f.js:1:12)
    at node:internal/main/run_main_module:28:49` +
      '\nnpm error Lifecycle script `start` failed with error:\nnpm error code 1',
    ["TypeError: Cannot read properties of null (reading 'x')", 'f.js:1'],
  ],
  [
    'Python, during handling of another',
    `Traceback (most recent call last):
  File "/srv/app/p.py", line 3, in send
    {}['a']
    ~~^^^^^
KeyError: 'a'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/srv/app/p.py", line 6, in <module>
    send()
  File "/srv/app/p.py", line 5, in send
    raise ValueError('no host')
ValueError: no host`,
    ['ValueError: no host', 'p.py:5'],
  ],
  [
    'Python, a message of several lines',
    `Traceback (most recent call last):
  File "/srv/app/main.py", line 9, in <module>
    settings = Settings()
  File "/usr/lib/python3.11/site-packages/pydantic_settings/main.py", line 144, in __init__
    super().__init__(
pydantic_core._pydantic_core.ValidationError: 1 validation error for Settings
smtp_host
  Field required [type=missing, input_value={}, input_type=dict]
    For further information visit https://errors.pydantic.dev/2.7/v/missing`,
    ['pydantic_core._pydantic_core.ValidationError: 1 validation error for Settings', 'main.py:9'],
  ],
  [
    'Java',
    `Exception in thread "main" java.lang.IllegalStateException: no mail
	at Mailer.send(Mailer.java:1)
	at Mailer.main(Mailer.java:1)
Caused by: java.lang.NullPointerException: Cannot invoke "Object.hashCode()" because "<local0>" is null
	at Mailer.send(Mailer.java:1)
	at Mailer.main(Mailer.java:1)
	at java.base/java.lang.reflect.Method.invoke(Method.java:569)`,
    [
      'java.lang.IllegalStateException: no mail (caused by java.lang.NullPointerException: Cannot invoke "Object.hashCode()" because "<local0>" is null)',
      'Mailer.java:1',
    ],
  ],
  [
    'Go',
    `panic: assignment to entry in nil map

goroutine 1 [running]:
main.main()
	/srv/app/main.go:3 +0x28
exit status 2`,
    ['panic: assignment to entry in nil map', 'main.go:3'],
  ],
  [
    'Rust',
    `
thread 'main' (681) panicked at r.rs:1:90:
index out of bounds: the len is 0 but the index is 4
stack backtrace:
   0: __rustc::rust_begin_unwind
             at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/std/src/panicking.rs:689:5
   1: core::panicking::panic_fmt
             at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/panicking.rs:80:14
             at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/panicking.rs:271:5
   6: core::ops::function::FnOnce::call_once
note: Some details are omitted, run with \`RUST_BACKTRACE=full\` for a verbose backtrace.`,
    ['panic: index out of bounds: the len is 0 but the index is 4', 'r.rs:1'],
  ],
  [
    'Rust, older',
    "thread 'main' panicked at 'no host', src/main.rs:14:5\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
    ['panic: no host', 'main.rs:14'],
  ],
  [
    'PHP',
    'PHP Fatal error:  Uncaught TypeError: send(): Argument #1 must be of type string in /srv/app/mailer.php:14\nStack trace:\n#0 {main}\n  thrown in /srv/app/mailer.php on line 14',
    ['TypeError: send(): Argument #1 must be of type string', 'mailer.php:14'],
  ],
  [
    'Ruby',
    "/srv/app/mailer.rb:14:in 'Mailer#send': undefined method 'host' for nil (NoMethodError)\n\tfrom /srv/app/main.rb:3:in '<main>'",
    ["NoMethodError: undefined method 'host' for nil", 'mailer.rb:14'],
  ],
  [
    '.NET',
    'Unhandled exception. System.NullReferenceException: Object reference not set\n   at Shop.Mailer.Send() in /srv/app/Mailer.cs:line 14\n   at Shop.Program.Main()',
    ['System.NullReferenceException: Object reference not set', 'Mailer.cs:14'],
  ],
  ['one line', 'starting\nConfigError: no host', ['ConfigError: no host', undefined]],
];
test.each(uncaught)('finds the exception that ended a program: %s', (_name, output, expected) => {
  expect(read(`starting\nlistening on 3000\n${output}`)).toEqual(expected);
});

test('an unhandled rejection of a text', () => {
  expect(
    read(`node:internal/process/promises:389
      new UnhandledPromiseRejection(reason);
      ^

UnhandledPromiseRejection: This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "boom".
    at throwUnhandledRejectionsMode (node:internal/process/promises:389:7)
    at processPromiseRejections (node:internal/process/promises:470:17)
    at process.processTicksAndRejections (node:internal/process/task_queues:96:32) {
  code: 'ERR_UNHANDLED_REJECTION'
}

Node.js v20.20.2`)?.[0],
  ).toMatch(/^UnhandledPromiseRejection: This error originated/);
});

test.each([
  [
    'Node',
    `TypeError: Cannot read properties of null (reading 'x')
    at Object.<anonymous> (/srv/app/e.js:1:12)
    at node:internal/main/run_main_module:28:49
cannot reach the moon`,
  ],
  [
    'Python',
    `ERROR:root:caught
Traceback (most recent call last):
  File "/srv/app/q.py", line 3, in <module>
    1/0
    ~^~
ZeroDivisionError: division by zero
cannot go on`,
  ],
  ['a warning', 'Error: cannot send mail\nretrying in 5 s'],
  ['requests', 'TypeError: x is undefined\n    at send (/srv/app/mailer.js:14:9)\nGET /health 200\nGET /health 200'],
  ['nothing', 'cannot reach the moon'],
])('one that was caught and logged did not end a program that went on: %s', (_name, output) => {
  expect(read(output)).toBeUndefined();
});
