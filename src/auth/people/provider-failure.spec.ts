import { ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client';
import { UnusableClaims } from './identity.js';
import { failureOf, isAboutPerson } from './provider-failure.js';

function refusal(error: string): ResponseBodyError {
  return new ResponseBodyError(error, { cause: { error }, response: new Response(null, { status: 400 }) });
}

function challenge(status: number): WWWAuthenticateChallengeError {
  const cause = [{ scheme: 'bearer', parameters: { error: 'invalid_token' } }] as const;
  return new WWWAuthenticateChallengeError('', {
    cause: [...cause],
    response: new Response(null, { status }),
  });
}

describe('a refusal of the identity provider', () => {
  it.each([
    ['a grant that is gone', refusal('invalid_grant'), true],
    ['a wrong secret of the service', refusal('invalid_client'), false],
    ['a client that may not do this', refusal('unauthorized_client'), false],
    ['a token that does not work', challenge(401), true],
    ['a token without the scope', challenge(403), false],
    ['claims that name nobody', new UnusableClaims('the claim sub is missing'), true],
  ])('is about the person or not: %s', (_name, error, isIt) => {
    expect([failureOf(error), isAboutPerson(error)]).toEqual(['refused', isIt]);
  });
});
