/**
 * A small labelled set of our own: tools of an imaginary office suite, and needs that do not name them.
 * @module
 */

/** Name, description, properties. */
export const TOOLS: readonly (readonly [string, string, object?])[] = [
  ['docs_ping', 'Answers pong. For health checks.'],
  ['docs_whoami', 'The identity this connection runs as.'],
  ['docs_list_folders', 'Lists all folders of a drive, one level deep.', { drive: { type: 'string' } }],
  ['docs_create_folder', 'Creates an empty folder.', { parent: { type: 'string' }, name: { type: 'string' } }],
  ['docs_delete_file', 'Moves a file to the bin. Files stay there for thirty days.', { file_id: { type: 'string' } }],
  ['docs_restore_file', 'Takes a file out of the bin.', { file_id: { type: 'string' } }],
  ['docs_rename_file', 'Gives a file another name.', { file_id: { type: 'string' }, name: { type: 'string' } }],
  [
    'docs_move_file',
    'Moves a file into another folder.',
    { file_id: { type: 'string' }, folder_id: { type: 'string' } },
  ],
  [
    'docs_share_file',
    'Grants a person access to a file.',
    { email: { type: 'string' }, role: { enum: ['viewer', 'editor'] } },
  ],
  ['docs_revoke_access', 'Takes a person’s access to a file away.', { email: { type: 'string' } }],
  ['docs_export_pdf', 'Exports a document as PDF.', { page_range: { type: 'string' } }],
  ['docs_search', 'Full-text search over everything the caller may read.', { terms: { type: 'string' } }],
  [
    'calendarCreateEvent',
    'Creates an event in a calendar.',
    { attendees: { type: 'array' }, start: { type: 'string' } },
  ],
  ['calendarListEvents', 'Lists events between two dates.', { from: { type: 'string' }, to: { type: 'string' } }],
  ['calendarCancelEvent', 'Cancels an event and tells everybody who was invited.', { event_id: { type: 'string' } }],
  ['calendarFindFreeSlot', 'Finds a time at which all attendees are free.', { attendees: { type: 'array' } }],
  ['mail_send', 'Sends an e-mail.', { to: { type: 'array' }, subject: { type: 'string' }, body: { type: 'string' } }],
  ['mail_list_inbox', 'Lists the newest messages of the inbox.', { unread_only: { type: 'boolean' } }],
  ['mail_add_label', 'Adds a label to a message.', { label: { type: 'string' } }],
  ['mail_remove_label', 'Removes a label from a message.', { label: { type: 'string' } }],
  [
    'sheet_read_range',
    'Reads the values of a range of cells.',
    { range: { type: 'string', description: 'like A1:C9' } },
  ],
  ['sheet_append_row', 'Appends a row to a sheet.', { values: { type: 'array' } }],
  ['sheet_create_chart', 'Draws a chart from a range.', { kind: { enum: ['bar', 'line', 'pie'] } }],
  ['people_get_profile', 'A colleague’s name, title and phone number.', { email: { type: 'string' } }],
  ['people_list_teams', 'All teams and who is in them.'],
  ['tasks_add_comment', 'Adds a comment to a task.', { text: { type: 'string' } }],
  ['tasks_assign', 'Makes somebody responsible for a task.', { assignee: { type: 'string' } }],
  ['tasks_close', 'Marks a task as done.', { task_id: { type: 'string' } }],
]

/** Need, name of the tool. */
export const NEEDS: readonly (readonly [string, string])[] = [
  ['make a new directory', 'docs_create_folder'],
  ['get rid of an old document', 'docs_delete_file'],
  ['I removed a file by accident and want it back', 'docs_restore_file'],
  ['put a file in a different folder', 'docs_move_file'],
  ['let my colleague edit this file', 'docs_share_file'],
  ['save the document as a pdf', 'docs_export_pdf'],
  ['schedule a meeting with two people', 'calendarCreateEvent'],
  ['which meetings are there next week', 'calendarListEvents'],
  ['call off the meeting', 'calendarCancelEvent'],
  ['when do all attendees have time', 'calendarFindFreeSlot'],
  ['write an email to the customer', 'mail_send'],
  ['show unread messages', 'mail_list_inbox'],
  ['take the tag off this message', 'mail_remove_label'],
  ['read cells A1 to C9', 'sheet_read_range'],
  ['add another line to the spreadsheet', 'sheet_append_row'],
  ['pie diagram of these numbers', 'sheet_create_chart'],
  ['phone number of a person', 'people_get_profile'],
  ['leave a remark on the ticket', 'tasks_add_comment'],
  ['resolve the ticket', 'tasks_close'],
  ['Neuen Ordner anlegen', 'docs_create_folder'],
  ['Datei umbenennen', 'docs_rename_file'],
  ['supprimer le fichier', 'docs_delete_file'],
  ['enviar un correo email', 'mail_send'],
  ['ファイルを共有する', 'docs_share_file'],
  ['파일 이동', 'docs_move_file'],
  ['查看所有文件夹', 'docs_list_folders'],
]
