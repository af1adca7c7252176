import type { NewTable } from './new-tables.js';

/** The tables of chats, conversations and responses before they became one store. */
export const FORMER_TABLES: readonly NewTable[] = [
  {
    name: 'chats',
    columns: `app_id text not null,
      chat_key uuid not null default gen_random_uuid(),
      chat_id text collate "C" not null,
      end_user_id text collate "C",
      title text not null,
      turn_count integer not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      key_id text collate "C",
      search jsonb not null default '{}',
      primary key (app_id, chat_key)`,
    foreignKeys: ['foreign key (app_id) references apps on delete cascade'],
    indexes: [
      `create unique index chats_identity
         on chats (app_id, chat_id, (end_user_id is null), (coalesce(end_user_id, '')), (coalesce(key_id, '')))`,
      'create index chats_owner on chats (app_id, end_user_id, key_id, updated_at, chat_key)',
      'create index chats_updated on chats (app_id, updated_at desc, chat_key)',
    ],
  },
  {
    name: 'chat_turns',
    columns: `app_id text not null,
      chat_key uuid not null,
      position integer not null,
      role text not null constraint chat_turns_role_check check (role in ('user', 'assistant')),
      content text not null,
      created_at timestamptz not null default clock_timestamp(),
      evidence jsonb,
      stopped boolean not null default false,
      primary key (app_id, chat_key, position)`,
    foreignKeys: ['foreign key (app_id, chat_key) references chats (app_id, chat_key) on delete cascade'],
    indexes: [],
  },
  {
    name: 'responses',
    columns: `app_id text not null,
      response_id uuid not null,
      end_user_id text collate "C",
      previous_id uuid,
      input json not null,
      response json not null,
      bytes integer not null,
      created_at timestamptz not null default now(),
      primary key (app_id, response_id)`,
    foreignKeys: ['foreign key (app_id) references apps on delete cascade'],
    indexes: [],
  },
  {
    name: 'conversation_items',
    columns: `app_id text not null,
      conversation_id uuid not null,
      position integer not null,
      item_id text collate "C" not null,
      item json not null,
      bytes integer not null,
      primary key (app_id, conversation_id, position),
      unique (app_id, conversation_id, item_id)`,
    foreignKeys: [
      'foreign key (app_id, conversation_id) references conversations (app_id, conversation_id) on delete cascade',
    ],
    indexes: [],
  },
];

/** Matches an escape in JSON that PostgreSQL's text cannot hold: U+0000, or half of a surrogate pair. */
const UNSTORABLE = String.raw`'(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-fA-F][0-9a-fA-F]{2})'`;

/** Removes these escapes from JSON. @param column of the type json */
function storable(column: string): string {
  return `case when ${column}::text ~* ${UNSTORABLE}
    then regexp_replace(${column}::text, ${UNSTORABLE}, '\\1', 'gi')::json else ${column} end`;
}

/** The UUID of a file in the OpenAI protocol. A document that was not attached as a file has the id of the document. */
const uuidOf = (fileId: string): string => `substr(${fileId}, 6)::uuid::text`;

const CITATIONS = `(select jsonb_agg(jsonb_build_object(
    'start', a.value -> 'index', 'end', a.value -> 'index', 'text', '',
    'document_id', ${uuidOf(`a.value ->> 'file_id'`)}, 'chunk_number', 0, 'file_id', a.value -> 'file_id',
    'filename', a.value -> 'filename', 'page_number', a.value -> 'page_number', 'quote', a.value -> 'quote')
    order by a.place)
  from json_array_elements(i.item #> '{content,0,annotations}') with ordinality as a(value, place))`;

const RESULTS = `(select jsonb_agg(jsonb_build_object(
    'document_id', ${uuidOf(`r.value ->> 'file_id'`)}, 'chunk_number', 0, 'score', r.value -> 'score',
    'filename', r.value -> 'filename', 'page_number', null, 'is_image', false, 'excerpt', r.value -> 'text',
    'file_id', r.value -> 'file_id', 'attributes', r.value -> 'attributes') order by r.place)
  from json_array_elements(i.item -> 'results') with ordinality as r(value, place))`;

/** Whether an item is a message with one part of text. Its words become the content of its turn. */
const IS_PLAIN = `(i.item ->> 'type' = 'message' and json_typeof(i.item -> 'content') = 'array'
  and json_array_length(i.item -> 'content') = 1
  and i.item #>> '{content,0,type}' in ('input_text', 'output_text'))`;

const HAS_RESULTS = `(i.item ->> 'type' = 'file_search_call' and json_typeof(i.item -> 'results') = 'array')`;

/**
 * Inserts the turns of items.
 * @param items a select with the columns app_id, conversation_id, position, item_id, item, created_at
 */
function turnsOf(items: string): string {
  return `insert into turns (app_id, conversation_id, position, role, content, evidence, item_id, item, bytes, created_at)
    select t.app_id, t.conversation_id, t.position, t.role, t.content, t.evidence, t.item_id, t.item,
      octet_length(t.content) + coalesce(octet_length(t.evidence::text), 0) + octet_length(t.item::text), t.created_at
    from (
      select i.app_id, i.conversation_id, i.position, i.item_id, i.created_at,
        coalesce(i.item ->> 'role', case when i.item ->> 'type' = 'function_call_output' then 'tool' else 'assistant' end)
          as role,
        case when ${IS_PLAIN} then i.item #>> '{content,0,text}' else '' end as content,
        case
          when ${IS_PLAIN} and json_typeof(i.item #> '{content,0,annotations}') = 'array'
            and json_array_length(i.item #> '{content,0,annotations}') > 0
            then jsonb_build_object('citations', ${CITATIONS}, 'sources', '[]'::jsonb)
          when ${HAS_RESULTS} then jsonb_build_object('citations', '[]'::jsonb, 'sources', coalesce(${RESULTS}, '[]'))
        end as evidence,
        case
          when ${IS_PLAIN} then json_build_object('id', i.item -> 'id', 'type', i.item -> 'type', 'role', i.item -> 'role',
            'status', i.item -> 'status', 'content', null)
          when ${HAS_RESULTS} then json_build_object('id', i.item -> 'id', 'type', i.item -> 'type',
            'status', i.item -> 'status', 'queries', i.item -> 'queries', 'results', null)
          else i.item
        end as item
      from (${items}) i
    ) t`;
}

/** Members of a response object, without the items of its output. Keeps their order. */
const WITHOUT_OUTPUT = `(select json_object_agg(m.key, case when m.key = 'output' then '[]'::json else m.value end)
  from json_each(r.response) as m)`;

const RESPONSES = `(select app_id, response_id, end_user_id, previous_id, created_at, ${storable('input')} as input,
    ${storable('response')} as response from responses)`;

/** Copies everything into the tables of the store. */
export const MOVE_TALK: readonly string[] = [
  // The key that made them is unknown. Every key without an end user reached them.
  `update conversations set owner = 'user:' || end_user_id, readers = array[coalesce('user:' || end_user_id, 'key:*')],
     updated_at = created_at`,
  `insert into conversations (app_id, conversation_id, kind, owner, readers, chat_id, title, search, next_position,
     created_at, updated_at)
   select app_id, chat_key, 'chat', coalesce('user:' || end_user_id, 'key:' || key_id),
     array_remove(array[coalesce('user:' || end_user_id, 'key:' || key_id)], null), chat_id, title, search, turn_count,
     created_at, updated_at
   from chats`,
  `insert into conversations (app_id, conversation_id, kind, owner, readers, previous_id, response, input_count,
     next_position, created_at, updated_at)
   select r.app_id, r.response_id, 'response', 'user:' || r.end_user_id,
     array[coalesce('user:' || r.end_user_id, 'key:*')], r.previous_id, ${WITHOUT_OUTPUT},
     json_array_length(r.input), json_array_length(r.input) + coalesce(json_array_length(r.response -> 'output'), 0),
     r.created_at, r.created_at
   from ${RESPONSES} r`,
  `insert into turns (app_id, conversation_id, position, role, content, evidence, stopped, bytes, created_at)
   select app_id, chat_key, position, role, content, evidence, stopped,
     octet_length(content) + coalesce(octet_length(evidence::text), 0), created_at
   from chat_turns`,
  turnsOf(`select s.app_id, s.conversation_id, s.position, s.item_id, ${storable('s.item')} as item, c.created_at
    from conversation_items s
    join conversations c on c.app_id = s.app_id and c.conversation_id = s.conversation_id`),
  // A response may repeat an item of its input.
  turnsOf(`select x.app_id, x.conversation_id, x.position, x.item, x.created_at,
      case when row_number() over (
        partition by x.app_id, x.conversation_id, x.item ->> 'id' order by x.position) = 1 then x.item ->> 'id' end as item_id
    from (
      select r.app_id, r.response_id as conversation_id, (e.place - 1)::integer as position, e.value as item,
        r.created_at
      from ${RESPONSES} r, json_array_elements(r.input) with ordinality as e(value, place)
      union all
      select r.app_id, r.response_id, (json_array_length(r.input) + e.place - 1)::integer, e.value, r.created_at
      from ${RESPONSES} r, json_array_elements(r.response -> 'output') with ordinality as e(value, place)
    ) x`),
];

const ANNOTATIONS = `coalesce((select json_agg(json_build_object('type', 'file_citation', 'file_id', a.value -> 'file_id',
    'filename', a.value -> 'filename', 'index', a.value -> 'start', 'quote', a.value -> 'quote',
    'page_number', a.value -> 'page_number') order by a.place)
  from jsonb_array_elements(t.evidence -> 'citations') with ordinality as a(value, place)), '[]'::json)`;

/** The item of a turn `t`. */
const ITEM = `case
  when t.item ->> 'type' = 'message' and t.item ->> 'content' is null then json_build_object('id', t.item -> 'id',
    'type', t.item -> 'type', 'role', t.item -> 'role', 'status', t.item -> 'status', 'content', json_build_array(
      case t.role when 'assistant'
        then json_build_object('type', 'output_text', 'text', t.content, 'annotations', ${ANNOTATIONS},
          'logprobs', '[]'::json)
        else json_build_object('type', 'input_text', 'text', t.content) end))
  when t.item ->> 'type' = 'file_search_call' and t.evidence is not null then json_build_object('id', t.item -> 'id',
    'type', t.item -> 'type', 'status', t.item -> 'status', 'queries', t.item -> 'queries', 'results',
    coalesce((select json_agg(json_build_object('file_id', a.value -> 'file_id', 'filename', a.value -> 'filename',
        'score', a.value -> 'score', 'text', a.value -> 'excerpt', 'attributes', a.value -> 'attributes') order by a.place)
      from jsonb_array_elements(t.evidence -> 'sources') with ordinality as a(value, place)), '[]'::json))
  else t.item end`;

const itemsWhere = (
  condition: string,
): string => `coalesce((select json_agg(${ITEM} order by t.position) from turns t
  where t.app_id = c.app_id and t.conversation_id = c.conversation_id and t.position ${condition}), '[]'::json)`;

const OF_PERSON = `case when c.owner like 'user:%' then substr(c.owner, 6) end`;

/** Copies everything back into the former tables. The owning keys of conversations and responses are lost. */
export const MOVE_BACK: readonly string[] = [
  `update conversations c set end_user_id = ${OF_PERSON} where c.kind = 'conversation'`,
  `insert into chats (app_id, chat_key, chat_id, end_user_id, key_id, title, turn_count, search, created_at, updated_at)
   select c.app_id, c.conversation_id, c.chat_id, ${OF_PERSON}, case when c.owner like 'key:%' then substr(c.owner, 5) end,
     c.title, c.next_position, c.search, c.created_at, c.updated_at
   from conversations c where c.kind = 'chat'`,
  `insert into chat_turns (app_id, chat_key, position, role, content, evidence, stopped, created_at)
   select t.app_id, t.conversation_id, t.position, t.role, t.content, t.evidence, t.stopped, t.created_at
   from turns t join conversations c on c.app_id = t.app_id and c.conversation_id = t.conversation_id
   where c.kind = 'chat'`,
  `insert into conversation_items (app_id, conversation_id, position, item_id, item, bytes)
   select t.app_id, t.conversation_id, t.position, t.item_id, ${ITEM}, t.bytes
   from turns t join conversations c on c.app_id = t.app_id and c.conversation_id = t.conversation_id
   where c.kind = 'conversation'`,
  `insert into responses (app_id, response_id, end_user_id, previous_id, input, response, bytes, created_at)
   select c.app_id, c.conversation_id, ${OF_PERSON}, c.previous_id, ${itemsWhere('< c.input_count')},
     (select json_object_agg(m.key, case when m.key = 'output' then ${itemsWhere('>= c.input_count')} else m.value end)
      from json_each(c.response) as m),
     (select coalesce(sum(t.bytes), 0)::integer from turns t
      where t.app_id = c.app_id and t.conversation_id = c.conversation_id),
     c.created_at
   from conversations c where c.kind = 'response'`,
];
