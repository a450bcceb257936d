/** The API within reach, with this gateway's own address. */

import { baseOf, useEnvironment } from '../environment.ts'
import { ButtonLink } from '../parts/button.tsx'
import { Secret, Snippet } from '../parts/copy.tsx'
import { Page } from '../parts/page.tsx'
import { useMay, useSignedIn } from '../session.ts'

export default function Reference() {
  const environment = useEnvironment()
  const mayMakeKeys = useMay('keys:manage')
  const { public_url: url } = useSignedIn()
  const base = baseOf(url, environment)
  const header = `-H 'Authorization: Bearer API_KEY'`
  return (
    <Page
      title="API reference"
      about={`Everything except team, account and audit log is also in this API. These examples are for ${environment}.`}
      actions={
        <>
          {mayMakeKeys && <ButtonLink to="/keys">API keys</ButtonLink>}
          <a className="button primary" href="/docs" target="_blank" rel="noreferrer">
            Open the full reference
          </a>
        </>
      }
    >
      <div className="stack wide compose">
        <section className="card stack">
          <h2>Base address</h2>
          <Secret text={base} />
          <p className="muted">
            Each request carries an API key of this environment:{' '}
            <code>Authorization: Bearer {environment === 'staging' ? 'bs_test_…' : 'bs_live_…'}</code>
          </p>
        </section>
        <section className="card stack">
          <h2>Send a message</h2>
          <Snippet
            text={`curl ${base}/sms/send \\\n  ${header} \\\n  -H 'Content-Type: application/json' \\\n  -d '{"to": "+15550101234", "message": "Hello"}'`}
          />
          <h2>Check the status</h2>
          <Snippet text={`curl ${base}/sms/status/MESSAGE_ID \\\n  ${header}`} />
          <h2>List received messages</h2>
          <Snippet text={`curl ${base}/messages/received \\\n  ${header}`} />
          <h2>Follow everything live</h2>
          <Snippet text={`curl -N ${base}/events/stream \\\n  ${header}`} />
        </section>
        <section className="card stack">
          <h2>For tools</h2>
          <p>
            The whole API as one document: <a href="/openapi.json">{url}/openapi.json</a>. What each error
            means: <a href="/docs/errors">{url}/docs/errors</a>.
          </p>
        </section>
      </div>
    </Page>
  )
}
