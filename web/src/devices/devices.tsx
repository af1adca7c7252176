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
import { rich, t } from '../language/translate.js';

/** The browsers in which the person is signed in. */
export function DevicesView(): JSX.Element {
  const { client } = useSession();
  const devices = useLoaded((signal) => client.session.devices({ signal }), []);
  const session = useLoaded((signal) => client.session.get({ signal }), []);
  const link = useCall((signal) => client.session.deviceLink({ signal }));
  return (
    <>
      <h1>{t('view.devices')}</h1>
      <p class="muted lead">{t('devices.lead')}</p>
      <ErrorNotice error={session.error} onRetry={session.reload} />
      {session.value?.may_add_device === true && (
        <p>
          <button type="button" class="primary" disabled={link.running} onClick={() => void link.run()}>
            {t('devices.add')}
          </button>
        </p>
      )}
      {session.value?.may_add_device === false && <p class="notice hint">{t('devices.signInThere')}</p>}
      <ErrorNotice error={link.error} />
      {link.value !== null && <AnotherDevice link={link.value} />}
      <section aria-label={t('devices.signedIn')} class="card flush">
        <ErrorNotice error={devices.error} onRetry={devices.reload} />
        {devices.value === null && devices.error === null && <Busy>{t('devices.loading')}</Busy>}
        {devices.value?.length === 0 && (
          <EmptyState title={t('devices.none')}>{t('devices.noneHint')}</EmptyState>
        )}
        {devices.value !== null && devices.value.length > 0 && (
          <table class="documents">
            <thead>
              <tr>
                <th scope="col">{t('devices.device')}</th>
                <th scope="col">{t('devices.since')}</th>
                <th scope="col">
                  <span class="visually-hidden">{t('table.actions')}</span>
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
    <section aria-label={t('devices.link')} class="card device-link" role="status">
      <QrCode text={url} label={t('devices.qr')} />
      <div>
        <p>
          {rich('devices.linkHint', {
            b: (parts) => <strong>{parts}</strong>,
            until: moment(link.expires_at),
          })}
        </p>
        <code>{url}</code> <CopyButton text={url} label={t('devices.copyLink')} />
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
        <bdi>{device.name}</bdi> {device.is_this && <span class="small muted">{t('devices.this')}</span>}
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
            {t('signOut.signOut')}
          </button>
        )}
      </td>
    </tr>
  );
}
