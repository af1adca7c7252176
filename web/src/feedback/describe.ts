import type { DescribedRequest } from '../requests/described-request.js';

/** @param rating the rating of the answers; null: any rating */
export function feedbackRequests(rating: string | null): DescribedRequest[] {
  return [
    {
      method: 'GET',
      path: '/feedback',
      ...(rating === null ? {} : { query: { rating } }),
      call: `const feedback = await lectern.chats.feedback(${rating === null ? '' : `{ rating: '${rating}' }`});`,
    },
    {
      method: 'GET',
      path: '/feedback/questions',
      call: 'const lines = await lectern.chats.feedbackQuestions();',
    },
  ];
}
