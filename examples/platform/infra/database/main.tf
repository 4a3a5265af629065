terraform {
  backend "local" {}
}

variable "name" {
  type = string
}

variable "size" {
  type = string
}

variable "network" {
  type = string
}

resource "terraform_data" "database" {
  input            = { name = var.name, size = var.size }
  triggers_replace = var.network
}

output "host" {
  value = "${terraform_data.database.output.name}.db.example"
}

output "password" {
  value     = "password-of-${terraform_data.database.id}"
  sensitive = true
}
