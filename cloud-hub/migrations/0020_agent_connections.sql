-- Which hub holds the MQTT connection of which agent, so that a second live agent with the same id is refused by every hub. State of running
-- hubs, as hub_replicas is: unlogged, in no backup. A hub of the version before ignores it, and tells two agents apart only among its own clients.
create unlogged table agent_connections (
  tenant_id uuid not null,
  agent_id text not null,
  hub_id uuid not null,
  instance text not null,
  connection_id uuid not null,
  connected_at timestamp(3) with time zone not null default now(),
  constraint agent_connections_pkey PRIMARY KEY (tenant_id, agent_id)
);--> statement-breakpoint
create index agent_connections_hub_idx on agent_connections (hub_id);--> statement-breakpoint
alter table agent_connections enable row level security;--> statement-breakpoint
grant select, insert, update, delete on agent_connections to haltless_app, haltless_system;--> statement-breakpoint
alter table agent_connections add constraint agent_connections_tenant_id_tenants_id_fk FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE;
