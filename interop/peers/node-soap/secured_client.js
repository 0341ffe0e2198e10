'use strict';
// Calls echoString with a token of node-soap's (../../test_security.py).

const path = require('path');
const readline = require('readline');
const soap = require('soap');

const WSDL = path.join(__dirname, '..', '..', 'interop.wsdl');

async function answer({ url, kind, user, password, text }) {
  const client = await soap.createClientAsync(WSDL, { disableCache: true });
  client.setEndpoint(url);
  const passwordType = kind === 'text' ? 'PasswordText' : 'PasswordDigest';
  client.setSecurity(new soap.WSSecurity(user, password, { passwordType, hasTimeStamp: false }));
  return new Promise((resolve) => {
    client.Interop.Soap11.echoString(
      { text },
      (error, result) => {
        const fault = error?.root?.Envelope?.Body?.Fault;
        if (fault) resolve({ fault: fault.faultstring });
        else resolve(error ? { error: String(error.message) } : { result: result.text });
      },
      { timeout: 20000 },
    );
  });
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    let made;
    try {
      made = await answer(JSON.parse(line));
    } catch (problem) {
      made = { error: String(problem) };
    }
    process.stdout.write(JSON.stringify(made) + '\n');
  }
}

main();
