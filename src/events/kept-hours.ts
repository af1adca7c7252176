/** Hours for which events, and deliveries of webhooks, are kept. It is longer than all attempts of a delivery take. */
export const KEPT_HOURS = 72;
