import type { JSX } from 'preact';
import type { Device, DeviceLink } from '../api/lectern.js';
import { useCall, useLoaded } from '../app/calls.js';
import { useSession } from '../app/session.js';
import { CopyButton } from '../design/copy-button.js';
import { Busy, EmptyState, ErrorNotice } from '../design/notices.js';
import { moment, when } from '../documents/record.js';
import { hereOf } from '../people/describe.js';
import './devices.css';
import { QrCode } from './qr-code.js';

/** The browsers in which the person is signed in. */
export function DevicesView(): JSX.Element {
  const { client } = useSession();
  const devices = useLoaded((signal) => client.session.devices({ signal }), []);
  const link = useCall((signal) => client.session.deviceLink({ signal }));
  return (
    <>
      <h1>Devices</h1>
      <p class="muted lead">The browsers in which you are signed in. Sign out where you no longer are.</p>
      <p>
        <button type="button" class="primary" disabled={link.running} onClick={() => void link.run()}>
          Add another device
        </button>
      </p>
      <ErrorNotice error={link.error} />
      {link.value !== null && <AnotherDevice link={link.value} />}
      <section aria-label="Signed-in devices" class="card flush">
        <ErrorNotice error={devices.error} onRetry={devices.reload} />
        {devices.value === null && devices.error === null && <Busy>Loading devices…</Busy>}
        {devices.value?.length === 0 && (
          <EmptyState title="No devices">You are signed in with a key, which is no device.</EmptyState>
        )}
        {devices.value !== null && devices.value.length > 0 && (
          <table class="documents">
            <thead>
              <tr>
                <th scope="col">Device</th>
                <th scope="col">Signed in</th>
                <th scope="col">
                  <span class="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {devices.value.map((device) => (
                <DeviceRow key={device.id} device={device} onEnded={devices.reload} />
              ))}
            </tbody>
          </table>
        )}
      </section>
    </>
  );
}

function AnotherDevice({ link }: { readonly link: DeviceLink }): JSX.Element {
  const url = hereOf(link.url);
  return (
    <section aria-label="Link for another device" class="card device-link" role="status">
      <QrCode text={url} label="QR code of the link" />
      <div>
        <p>
          <strong>Open this link on the other device.</strong> It signs in as you, once, until{' '}
          {moment(link.expires_at)}. Give it to nobody else.
        </p>
        <code>{url}</code> <CopyButton text={url} label="Copy the link" />
      </div>
    </section>
  );
}

function DeviceRow({
  device,
  onEnded,
}: {
  readonly device: Device;
  readonly onEnded: () => void;
}): JSX.Element {
  const { client } = useSession();
  const end = useCall((signal) => client.session.endDevice(device.id, { signal }));
  return (
    <tr>
      <td class="name">
        {device.name}
        {device.is_this && <span class="small muted"> this device</span>}
      </td>
      <td class="muted">{when(device.signed_in_at)}</td>
      <td>
        <ErrorNotice error={end.error} />
        {!device.is_this && (
          <button
            type="button"
            class="small-button"
            disabled={end.running}
            onClick={() => void end.run().then((done) => done !== null && onEnded())}
          >
            Sign out
          </button>
        )}
      </td>
    </tr>
  );
}
